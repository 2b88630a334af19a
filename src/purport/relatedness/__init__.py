"""How near are two words?"""
