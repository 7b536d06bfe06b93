import { useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'

/**
 * Copies a text and says so. Without access to the clipboard, it selects the text, so that the person can copy it by
 * key.
 */
function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async () => {
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setState(done ? 'copied' : 'failed')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setState('idle'), 2500)
  }
  const said = { idle: 'Copy', copied: 'Copied', failed: 'Select the text and copy it' }[state]

  return (
    <>
      <Button size="small" className="copy-button" aria-label={label} onClick={copy}>
        {said}
      </Button>
      <span className="visually-hidden" role="status">
        {state === 'idle' ? '' : said}
      </span>
    </>
  )
}

/** A text to copy as a whole: a key, a command or a file. One click in it selects all of it. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="copy-block">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy ${label.charAt(0).toLowerCase()}${label.slice(1)}`} />
    </div>
  )
}
