"""Words by which transcripts tell who speaks or acts: English names of users and agents, and those of other languages.

The languages are German, French, Spanish, Portuguese, Italian, Japanese and Chinese. English words for what is done and
seen stand with the readers of each notation, as their meaning hangs on that: `tool` may head a call or its result.
"""

from __future__ import annotations

from collections.abc import Mapping

_WORDS: Mapping[str, tuple[str, ...]] = {
    "user": (
        "benutzer nutzer anwender kunde kundin bediener auftraggeber mensch",
        "utilisateur utilisatrice client opérateur operateur humain",
        "usuario operador cliente humano",
        "usuário utilizador solicitante",
        "utente operatore umano",
        "ユーザー ユーザ 利用者 依頼者 お客様 人間",
        "用户 用戶 客户 客戶 操作员 人类",
    ),
    "agent": (
        "assistent ki gedanke gedanken überlegung antwort endantwort",
        "pensée pensee réflexion reflexion réponse reponse",
        "asistente agente ia pensamiento razonamiento respuesta",
        "assistente pensamento raciocínio raciocinio resposta",
        "pensiero ragionamento risposta",
        "アシスタント エージェント 思考 回答 応答 最終回答",
        "助手 智能体 助理 想法 答复 最终答案",
    ),
    "task": (
        "auftrag aufgabe anfrage frage",
        "demande consigne tâche",
        "tarea pregunta solicitud petición",
        "tarefa pedido pergunta",
        "compito richiesta domanda",
        "タスク 依頼 質問 指示",
        "任务 任務 请求 问题 指令",
    ),
    "call": (
        "aktion aufruf werkzeugaufruf",
        "appel",
        "acción accion llamada",
        "ação chamada",
        "azione chiamata",
        "呼び出し ツール呼び出し アクション",
        "调用 工具调用 行动",
    ),
    "command": ("befehl", "commande", "comando", "コマンド", "命令"),
    "result": (
        "ergebnis ausgabe beobachtung rückgabe",
        "sortie résultat resultat",
        "resultado salida observación",
        "saída saida observação",
        "risultato uscita osservazione",
        "結果 出力 実行結果 ツール結果 観察",
        "结果 输出 工具结果 执行结果 观察",
    ),
    "tool": ("werkzeug", "outil", "herramienta", "ferramenta", "strumento", "ツール", "工具"),
    "system": ("système", "sistema", "システム", "系统"),
}
"""Words in lower case by role, a text for each language; `tool` is what a call and its result may both stand under."""


_ENGLISH = -1


def languages_of(name: str) -> frozenset[int]:
    """Return the languages that a label may be of, as numbers; English is meant where no other language has it."""
    found = {
        language
        for role, texts in _WORDS.items()
        if len(texts) > 1 and (role in {"user", "agent", "task"})
        for language, text in enumerate(texts)
        if name.lower() in text.split()
    }
    return frozenset(found or {_ENGLISH})


def foreign_words(role: str) -> frozenset[str]:
    """Return the words for a role in other languages: `user`, `agent`, `task`, `call`, `command`, `result`, `tool`…"""
    return frozenset(" ".join(_WORDS[role]).split())


USER_NAMES = frozenset(
    {
        *("user", "human", "operator", "customer", "client", "dev", "developer", "you", "me", "requester", "owner"),
        "boss",
        *foreign_words("user"),
    }
)
"""Lower-case labels under which the user speaks."""
AGENT_NAMES = frozenset(
    {
        *("agent", "assistant", "ai", "model", "bot", "llm", "codex", "claude", "gpt", "gemini", "copilot", "cursor"),
        *("devin", "goose", "aider", "opencode", "cline", "amp", "qwen", "llama", "mistral", "deepseek", "chatgpt"),
        *foreign_words("agent"),
    }
)
"""Lower-case labels under which the agent speaks."""
ENGLISH_AGENT_NAMES = AGENT_NAMES - foreign_words("agent")
"""Those in English, none of which also heads what an agent thinks or answers."""
