# ruff: noqa: E501 - files as they stand in the projects
"""Sessions in ecosystems that the earlier ones do not have, recorded when the extraction was as it is."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Hear, Run, Say, Scenario

FRESH = (
    Scenario(
        "terraform-cycle",
        "terraform",
        "terraform plan for the network stack does not run.",
        "Terraform reports that our local values depend on each other.",
        {
            "main.tf": 'locals {\n  prefix = "${local.region}-net"\n  region = "${local.prefix}-eu"\n}\n\noutput "name" {\n  value = local.prefix\n}\n'
        },
        (
            Run("terraform validate -no-color"),
            Edit("main.tf", 'region = "${local.prefix}-eu"', 'region = "eu-west-1"'),
            Run("terraform validate -no-color"),
        ),
        'region = "eu-west-1"',
        setup="terraform init -no-color >/dev/null",
    ),
    Scenario(
        "kustomize-patch-target",
        "kubernetes",
        "Render the staging overlay.",
        "The overlay for staging cannot be built since the deployment was renamed.",
        {
            "base/kustomization.yaml": "resources:\n- web.yaml\n",
            "base/web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: storefront\nspec:\n  replicas: 1\n",
            "staging/kustomization.yaml": "resources:\n- ../base\npatches:\n- path: replicas.yaml\n",
            "staging/replicas.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n",
        },
        (
            Run("kubectl kustomize staging"),
            Run("grep -rn 'name:' base staging"),
            Edit("staging/replicas.yaml", "  name: web\n", "  name: storefront\n"),
            Run("kubectl kustomize staging"),
        ),
        "name: storefront",
        client="codex",
    ),
    Scenario(
        "gettext-format",
        "gettext",
        "Compile the German catalogue.",
        "A translation is rejected because its placeholders differ.",
        {
            "de.po": 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n#, c-format\nmsgid "%d files copied"\nmsgstr "%s Dateien kopiert"\n'
        },
        (
            Run("msgfmt --check-format -o de.mo de.po"),
            Edit("de.po", "%s Dateien", "%d Dateien"),
            Run("msgfmt --check-format -o de.mo de.po"),
        ),
        "%d Dateien",
        client="gemini",
    ),
    Scenario(
        "deb-control-fields",
        "debian",
        "Build the Debian package of the agent.",
        "dpkg-deb refuses to pack our folder.",
        {
            "agent/DEBIAN/control": "Package: fleet_agent\nVersion: 1.0\nArchitecture: all\nMaintainer: Ops <ops@example.org>\nDescription: agent\n"
        },
        (
            Run("dpkg-deb --build --root-owner-group agent agent.deb"),
            Say("Package names may hold no underscore."),
            Edit("agent/DEBIAN/control", "Package: fleet_agent", "Package: fleet-agent"),
            Run("dpkg-deb --build --root-owner-group agent agent.deb"),
        ),
        "Package: fleet-agent",
        client="openhands",
    ),
    Scenario(
        "tcl-braces",
        "tclsh",
        "report.tcl stops with an error in its summary.",
        "The Tcl report fails to compute the average.",
        {"report.tcl": "set total 10\nset count 0\nputs [expr {$total / $count}]\n"},
        (
            Run("tclsh report.tcl"),
            Hear("No rows means an average of 0, don't skip the line."),
            Edit(
                "report.tcl",
                "puts [expr {$total / $count}]",
                "puts [expr {$count ? $total / $count : 0}]",
            ),
            Run("tclsh report.tcl"),
        ),
        "$count ? $total / $count : 0",
        client="codex-exec",
    ),
    Scenario(
        "zip-password-tool",
        "zip",
        "Pack the assets again; the archive test fails.",
        "Testing the zipped assets complains about the archive's structure.",
        {"assets/a.txt": "a\n", "assets/b.txt": "b\n"},
        (
            Run("head -c 150 assets.zip > cut.zip && mv cut.zip assets.zip && unzip -tq assets.zip"),
            Run("unzip -l assets.zip"),
            Run("rm assets.zip && zip -qr -X assets.zip assets"),
            Run("unzip -tq assets.zip"),
        ),
        "zip -qr -X assets.zip assets",
        setup="zip -qr assets.zip assets",
    ),
    Scenario(
        "patch-strip-level",
        "patch",
        "Apply the vendor's fix.diff.",
        "The vendor's diff finds no file to change.",
        {
            "lib/clock.c": "int now(void) {\n    return 0;\n}\n",
            "fix.diff": "--- vendor/src/lib/clock.c\n+++ vendor/src/lib/clock.c\n@@ -1,3 +1,3 @@\n int now(void) {\n-    return 0;\n+    return 1;\n }\n",
        },
        (
            Run("patch --batch -p1 < fix.diff"),
            Run("head -2 fix.diff"),
            Run("patch --batch -p2 < fix.diff"),
        ),
        "patch --batch -p2 < fix.diff",
        client="codex",
    ),
    Scenario(
        "gpg-signing-key",
        "gpg",
        "Sign the release checksums.",
        "Signing the checksum file fails for want of a key.",
        {"SHA256SUMS": "abc  app.tar\n"},
        (
            Run("gpg --homedir .keys --batch --yes --clearsign SHA256SUMS"),
            Run(
                "gpg --homedir .keys --batch --passphrase '' --quick-generate-key 'Release <release@example.org>' ed25519 sign never"
            ),
            Run("gpg --homedir .keys --batch --yes --clearsign SHA256SUMS"),
        ),
        "--quick-generate-key 'Release <release@example.org>' ed25519 sign never",
        setup="mkdir -m 700 .keys",
        client="gemini",
    ),
    Scenario(
        "ninja-missing-rule",
        "ninja",
        "ninja does not build the docs target.",
        "The build file names a file that no rule makes.",
        {
            "build.ninja": "rule copy\n  command = cp $in $out\n\nbuild out/guide.txt: copy guide.md\n",
            "guide.txt": "hello\n",
        },
        (
            Run("ninja out/guide.txt"),
            Run("ls"),
            Edit("build.ninja", "copy guide.md", "copy guide.txt"),
            Run("ninja out/guide.txt"),
        ),
        "copy guide.txt",
        client="openhands",
    ),
    Scenario(
        "bc-scale",
        "bc",
        "tests.sh of the pricing script fails.",
        "The discount is computed as zero by the calculator script.",
        {
            "price.bc": 'print 3 / 4, "\\n"\nquit\n',
            "tests.sh": 'got=$(bc -q price.bc)\n[ "$got" = ".75" ] || { echo "expected .75, got $got"; exit 1; }\necho ok\n',
        },
        (
            Run("sh tests.sh"),
            Edit("price.bc", "print 3 / 4", "scale = 2\nprint 3 / 4"),
            Run("sh tests.sh"),
        ),
        "scale = 2",
    ),
)
