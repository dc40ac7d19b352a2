/** Secrets on the command line: everybody on the machine can read them there. */
const PASSWORD = /^(?:--store=)?[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i;

/** Names an alternative for each secret in the words, and takes the words out of the list of processes. */
export function hideSecrets(words: readonly string[]): string[] {
  const told = [
    ...(words.some((word) => PASSWORD.test(word))
      ? ["a password in --store can be read by everybody on this machine. Use EKIDEN_STORE instead"]
      : []),
    ...(words.some((word) => /^--token(?:=|$)/.test(word))
      ? ["--token can be read by everybody on this machine. Use EKIDEN_WEB_TOKEN instead"]
      : []),
  ];
  // The system shows the title in the place of the words.
  if (told.length > 0) process.title = "ekiden";
  return told;
}
