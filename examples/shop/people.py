#!/usr/bin/env python3
"""Writes people.csv: 2,000 people who do not exist. The same file on every run.

Usage: python3 people.py > people.csv
"""

import random

ROWS = 2_000
FIRST = """Ada Amir Anneke Bela Bruno Carla Chidi Dana Diego Edda Elif Emeka Farah Finn Greta Hana Hugo Ines Ivo Jana
Joris Kaito Kira Lena Levi Lucia Mara Milan Nadia Nils Noor Odile Omar Petra Quinn Rosa Ravi Selma Sven Tamar Theo
Uma Viktor Wanda Yara Yusuf Zoe""".split()
LAST = """Abel Adler Bakker Benitez Castell Cohen Dahl Dubois Eriksen Farkas Ferrer Gruber Haddad Hansen Ibe Ivanova
Jansen Kaya Keller Kowalska Larsen Lindt Marek Mendes Mwangi Nakata Novak Okafor Olsen Pereira Petrov Quist Rossi
Sato Silva Tanaka Thorn Ueda Vogel Weiss Yilmaz Zeman""".split()
WORDS = "amber birch cedar delta ember fjord grove heron inlet jetty kelp larch maple north otter pearl".split()


def main():
    choice = random.Random(2_000).choice
    print("name,email,password")
    for number in range(1, ROWS + 1):
        first, last = choice(FIRST), choice(LAST)
        email = f"{first}.{last}.{number}@example.test".lower()
        print(f"{first} {last},{email},{choice(WORDS)} {choice(WORDS)} {number}")


if __name__ == "__main__":
    main()
