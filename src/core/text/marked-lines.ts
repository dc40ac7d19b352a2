/** Output of a program in a text of ours, each line marked: none of it says anything in our name, such as "Judges: yes". Pure. */
export const markedLines = (output: string): string =>
  output === ""
    ? ""
    : output
        .split(/\r\n?|[\n\v\f\u2028\u2029]/)
        .map((line) => `| ${line}`)
        .join("\n");
