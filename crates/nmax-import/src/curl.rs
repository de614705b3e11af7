//! One copied `curl` command as a recording of one request.
