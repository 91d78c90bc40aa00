"""What several formats share: heads of turns, calls, fences, boxes and the messages they become."""
