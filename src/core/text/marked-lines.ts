/** Words of others in a text of ours, each line marked: none of it is a fence, a check or a mark of a task, or anything else in our name. Pure. */
export const markedLines = (text: string, mark: "|" | ">" = "|"): string =>
  text === ""
    ? ""
    : text
        .split(/\r\n?|[\n\v\f\u2028\u2029]/)
        .map((line) => `${mark} ${line}`.trimEnd())
        .join("\n");
