"""C with make and CMake: linking, declarations, build folders."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Say, Scenario

C = (
    Scenario(
        "c-link-math",
        "c",
        "Build the statistics tool stats.c.",
        "Linking the statistics program ends with an undefined reference.",
        {
            "stats.c": "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
            "int main(int argc, char **argv) {\n"
            '    printf("%f\\n", pow(atof(argv[argc - 1]), 0.5));\n    return 0;\n}\n'
        },
        (Run("gcc stats.c -o stats"), Run("gcc stats.c -o stats -lm"), Run("./stats 9")),
        "gcc stats.c -o stats -lm",
    ),
    Scenario(
        "c-implicit",
        "c",
        "make fails with warnings treated as errors.",
        "The C build stops at an implicit declaration.",
        {
            "Makefile": "app: app.c\n\tgcc -Wall -Werror -o app app.c\n",
            "app.c": '#include <stdio.h>\n\nint main(void) {\n    printf("%zu\\n", strlen("abc"));\n    return 0;\n}\n',
        },
        (
            Run("make"),
            Edit("app.c", "#include <stdio.h>\n", "#include <stdio.h>\n#include <string.h>\n"),
            Run("make"),
        ),
        "#include <string.h>",
    ),
    Scenario(
        "c-make-tabs",
        "c",
        "make says: missing separator.",
        "The Makefile cannot be read.",
        {"Makefile": "hello:\n    echo hello\n"},
        (
            Run("make hello"),
            Edit("Makefile", "    echo hello", "\techo hello"),
            Run("make hello"),
            Say("Recipes in this Makefile must begin with a tab, not with spaces."),
        ),
        "must begin with a tab",
    ),
    Scenario(
        "c-cmake-build-dir",
        "cmake",
        "Build the native module with CMake.",
        "CMake complains about the source folder when the native module is built.",
        {
            "native/CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(native C)\n"
            "add_executable(native main.c)\n",
            "native/main.c": "int main(void) {\n    return 0;\n}\n",
        },
        (Run("cmake -B build ."), Run("cmake -B build -S native"), Run("cmake --build build")),
        "cmake -B build -S native",
    ),
)
