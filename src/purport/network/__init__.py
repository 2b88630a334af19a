"""Which way of routing by meaning lets a network of battery-powered radios live longest?"""
