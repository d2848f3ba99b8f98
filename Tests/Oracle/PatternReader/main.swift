internal import JSONText

// One question a line on standard input, one answer a line on standard output.
while let line = readLine() { print(try PatternQuestion(JSONTree(parsing: line)).answer().text()) }
