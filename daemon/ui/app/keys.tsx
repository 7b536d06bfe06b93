import { shownKeys } from './shortcuts.ts'

/** Whether this is a Mac, whose keyboard has Command. */
export const isMac = /Mac|iP(hone|ad|od)/.test(navigator.userAgent)

/** A shortcut as key caps. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {shownKeys(keys, isMac).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}
