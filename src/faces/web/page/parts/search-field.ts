/** The field of the journal's search, which is drawn some frames after the journal was asked for. */
const FRAMES_MAX = 300;

/** Calls `then` with the field as soon as it is there; not at all where it does not come in 300 frames. */
export function inSearchField(then: (field: HTMLInputElement) => void, frames = FRAMES_MAX): void {
  const field = document.querySelector<HTMLInputElement>(".journal input[type=search]");
  if (field) then(field);
  else if (frames > 0) requestAnimationFrame(() => inSearchField(then, frames - 1));
}
