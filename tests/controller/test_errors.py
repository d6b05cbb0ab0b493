"""A user's error carries its words and its exit code."""

from controller.errors import EXIT_CONFIG, EXIT_USAGE, UserError


def test_a_user_error_is_a_usage_error_unless_said_otherwise() -> None:
    assert UserError("no such file").exit_code == EXIT_USAGE
    error = UserError("two\nlines", EXIT_CONFIG)
    assert (error.message, error.exit_code, str(error)) == ("two\nlines", 78, "two\nlines")
