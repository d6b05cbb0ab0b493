"""What may be called delivered."""

from controller.reach import Reach


def test_without_a_store_the_brokers_word_counts() -> None:
    reach = Reach(10, 8, 3, None, False)
    assert reach.delivered == 8
    assert reach.outbox() == {"depth": 2, "cursor": 8, "refusing": False}


def test_where_a_store_is_configured_only_its_word_counts() -> None:
    reach = Reach(10, 8, 3, "eye-1", False)
    assert reach.delivered == 3
    assert reach.levels("j")["delivered"] == 3
