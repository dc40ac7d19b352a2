/**
 * The key of the provider's own data that belongs to a reply as a whole, in the place of its thoughts. The package for chat
 * completions puts it into the message.
 */
export const OF_MESSAGE = "openaiCompatible";
