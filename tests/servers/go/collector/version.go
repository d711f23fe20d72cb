package main

const version = "0.156.0"
