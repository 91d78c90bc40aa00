"""Java: names of classes, the class path, checked exceptions."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Scenario

JAVA = (
    Scenario(
        "java-class-name",
        "java",
        "Compile the Java greeter.",
        "javac refuses the greeter's source file.",
        {
            "Greeter.java": "public class Greeting {\n    public static void main(String[] args) {\n"
            '        System.out.println("hi");\n    }\n}\n'
        },
        (
            Run("javac Greeter.java"),
            Edit("Greeter.java", "public class Greeting", "public class Greeter"),
            Run("javac Greeter.java"),
        ),
        "public class Greeter",
    ),
    Scenario(
        "java-classpath",
        "java",
        "Run the report main class.",
        "The JVM cannot find the report's main class.",
        {
            "src/report/Main.java": "package report;\n\npublic class Main {\n"
            '    public static void main(String[] a) {\n        System.out.println("ok");\n    }\n}\n'
        },
        (
            Run("javac -d out src/report/Main.java"),
            Run("java -cp out Main"),
            Run("java -cp out report.Main"),
        ),
        "java -cp out report.Main",
    ),
    Scenario(
        "java-checked-exception",
        "java",
        "Loader.java does not compile.",
        "The loader class is rejected for an unreported exception.",
        {
            "Loader.java": "import java.nio.file.*;\n\npublic class Loader {\n    static String load(String f) {\n"
            "        return Files.readString(Path.of(f));\n    }\n}\n"
        },
        (
            Run("javac Loader.java"),
            Edit(
                "Loader.java",
                "static String load(String f) {",
                "static String load(String f) throws java.io.IOException {",
            ),
            Run("javac Loader.java"),
        ),
        "throws java.io.IOException",
    ),
)
