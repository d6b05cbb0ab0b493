"""Each module has its test file, so that whoever changes one finds the other."""

from pathlib import Path

from tests.meta.sources import PACKAGES, functions, python_files, text_of

# Modules that another module's test file covers; each with the file that does.
COVERED_BY: dict[str, str] = {
    "controller/__main__.py": "tests/controller/cli/test_main.py",
    "controller/cli/__init__.py": "tests/controller/cli/test_main.py",
    "config/checks.py": "tests/config/test_loader.py",
    "config/complaints.py": "tests/config/test_loader.py",
    "config/device_checks.py": "tests/config/test_mistakes.py",
    "config/documents.py": "tests/config/test_loader.py",
    "config/pin_checks.py": "tests/config/test_loader.py",
    "config/texts.py": "tests/config/test_mistakes.py",
    "config/sections.py": "tests/config/test_documentation.py",
    "config/settings.py": "tests/config/test_loader.py",
    "config/validation.py": "tests/config/test_loader.py",
    "controller/regions/deck_age.py": "tests/controller/games/test_card_by_card.py",
    "controller/rules/batches.py": "tests/controller/games/test_card_by_card.py",
    "controller/rules/end_of_shoe.py": "tests/controller/games/test_card_by_card.py",
    "controller/rules/order_check.py": "tests/controller/games/test_card_by_card.py",
}


def _decides(file: Path) -> bool:
    """A module without any function (constants, shapes, a package's sentence) needs no test."""
    return any(functions(file))


def _names(file: Path) -> list[Path]:
    """Where the test of a module may be: `hal/link.py` -> `tests/hal/test_link.py`."""
    if file.name == "__init__.py":
        folder = Path("tests") / file.parent
        return [folder / f"test_{file.parent.name}.py", folder / "test_init.py",
                folder.parent / f"test_{file.parent.name}.py"]  # fmt: skip
    return [Path("tests") / file.parent / f"test_{file.stem}.py"]


def test_every_module_with_a_function_has_its_test_file() -> None:
    tests = set(python_files("tests"))
    missing = [
        f"{file}: {_names(file)[0]} (or say in COVERED_BY which file tests it)"
        for file in python_files(*PACKAGES)
        if _decides(file)
        and str(file) not in COVERED_BY
        and not tests.intersection(_names(file))
        # A room may test several small modules in one file that names each of them.
        and not _named_in_its_room(file, tests)
    ]
    assert not missing, "\n".join(missing)


def _named_in_its_room(file: Path, tests: set[Path]) -> bool:
    """Whether a test below the mirrored folder imports the module by its full name."""
    dotted = ".".join(file.with_suffix("").parts)
    package, _, module = dotted.rpartition(".")
    wanted = (f"from {dotted} import", f"import {dotted}", f"from {package} import {module}\n")
    room = Path("tests") / file.parts[0]
    return any(
        any(phrase in text_of(test) for phrase in wanted)
        for test in tests
        if test.is_relative_to(room) or test.parts[1] in ("mqtt", "crash", "properties", "system")
    )


def test_every_exception_to_the_rule_is_still_one() -> None:
    files = {str(file) for file in (*python_files(*PACKAGES), *python_files("tests"))}
    for module, test in COVERED_BY.items():
        assert {module, test} <= files, f"{module} or {test} is gone"
