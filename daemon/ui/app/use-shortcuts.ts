import { useEffect } from 'react'
import { isMac } from './keys.tsx'
import { shortcutOf, type ShortcutName } from './shortcuts.ts'
import { useLatest } from './use-latest.ts'

/** Runs the app's keys wherever the focus is, the editor's shadow root included. */
export function useShortcuts(actions: Record<ShortcutName, () => void>) {
  const latest = useLatest(actions)

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.composedPath()[0]
      const isTyping =
        target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable=true]')
      const name = shortcutOf(event, { isMac, isTyping })
      if (name === undefined) return
      // While a dialog is open, only its own keys work, and saving.
      if (document.querySelector('dialog[open]') && name !== 'save') return
      event.preventDefault()
      event.stopPropagation()
      latest.current[name]()
    }
    window.addEventListener('keydown', press, { capture: true })
    return () => window.removeEventListener('keydown', press, { capture: true })
  }, [latest])
}
