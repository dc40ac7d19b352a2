/** "a, b, c and 4 more" */
export const listed = (names: readonly string[], max = 5): string =>
  names.length <= max ? names.join(", ") : `${names.slice(0, max).join(", ")} and ${names.length - max} more`;
