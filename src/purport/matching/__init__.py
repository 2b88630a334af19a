"""Does this event answer this subscription, and how well?"""
