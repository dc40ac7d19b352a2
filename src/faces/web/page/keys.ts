/** Keys that the view in sight has for itself, before those of the page. Each view sets them while it is shown. */
import { useEffect } from "preact/hooks";

type Keys = (key: string) => boolean;
const taken: Keys[] = [];

/** True when a view has taken the key. */
export const takenByView = (key: string): boolean => taken.some((keys) => keys(key));

/** `keys` returns whether it took the key. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    taken.push(keys);
    return () => void taken.splice(taken.indexOf(keys), 1);
  }, [keys]);
}
