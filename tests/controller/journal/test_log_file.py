"""The log lies beside the database itself."""

from pathlib import Path

from controller.journal.log_file import log_of


def test_the_log_of_a_file_and_of_a_link_to_it_is_the_same_one(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "data" / "j")
    assert log_of(tmp_path / "data" / "j") == log_of(link) == tmp_path / "data" / "j-wal"
