/** The app's shortcuts, by action. `Mod` is Command on a Mac and Control elsewhere. */
export const shortcuts = {
  switcher: { keys: 'Mod-K', does: 'Open a note by name' },
  palette: { keys: 'Mod-P', does: 'Run a command' },
  search: { keys: 'Mod-Shift-F', does: 'Search in all notes' },
  mode: { keys: 'Mod-E', does: 'Switch between reading and editing' },
  look: { keys: 'Mod-Shift-E', does: 'Show the Markdown while editing, or what it means' },
  save: { keys: 'Mod-S', does: 'Save now' },
  newNote: { keys: 'Alt-N', does: 'New note' },
  closeTab: { keys: 'Alt-W', does: 'Close this tab' },
  reopenTab: { keys: 'Alt-Shift-W', does: 'Open the tab that was closed last' },
  nextTab: { keys: 'Alt-PageDown', does: 'Next tab' },
  previousTab: { keys: 'Alt-PageUp', does: 'Tab before' },
  tabRight: { keys: 'Alt-Shift-PageDown', does: 'Move this tab to the right' },
  tabLeft: { keys: 'Alt-Shift-PageUp', does: 'Move this tab to the left' },
  split: { keys: 'Alt-S', does: 'Two panes, or one again' },
  otherPane: { keys: 'Alt-O', does: 'Go to the other pane' },
  nextPart: { keys: 'F6', does: 'Go from the tree to the note, to the panel, and around' },
  previousPart: { keys: 'Shift-F6', does: 'The same the other way' },
  sidebar: { keys: 'Mod-\\', does: 'Show or hide the tree' },
  cheatSheet: { keys: '?', does: 'Show these keys' },
} as const

export type ShortcutName = keyof typeof shortcuts

type Press = { key: string; code: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean }

/** The shortcut that a key press means. A bare character only counts where nobody is typing. */
export function shortcutOf(press: Press, { isMac, isTyping }: { isMac: boolean; isTyping: boolean }) {
  const names = Object.keys(shortcuts) as ShortcutName[]
  return names.find((name) => {
    const parts = shortcuts[name].keys.split('-')
    const key = parts.at(-1)!
    const isBare = parts.length === 1 && key.length === 1
    if (isBare) return !isTyping && press.key === key && !press.ctrlKey && !press.metaKey && !press.altKey
    return (
      isKey(press, key, { isMac }) &&
      (isMac ? press.metaKey : press.ctrlKey) === parts.includes('Mod') &&
      (isMac ? press.ctrlKey : press.metaKey) === false &&
      press.shiftKey === parts.includes('Shift') &&
      press.altKey === parts.includes('Alt')
    )
  })
}

/** Keys as they are written on this kind of keyboard. */
export function shownKeys(keys: string, isMac: boolean): string[] {
  const names: Record<string, string> = isMac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' }
    : { Mod: 'Ctrl', Shift: 'Shift', Alt: 'Alt' }
  return keys.split('-').map((key) => names[key] ?? key)
}

/**
 * Compares what the key types. The position of the key counts only where it types no character by which it could be
 * meant: on a keyboard of another script, and on a Mac with Alt, which changes the characters.
 */
function isKey(press: Press, key: string, { isMac }: { isMac: boolean }): boolean {
  if (press.key.toLowerCase() === key.toLowerCase()) return true
  const meant = isMac && press.altKey ? /^[a-z]$/i : /^[!-~]$/
  return !meant.test(press.key) && press.code === `Key${key}`
}
