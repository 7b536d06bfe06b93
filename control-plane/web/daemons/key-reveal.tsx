import { useEffect, useState } from 'react'
import type { IssuedKey } from '../answers.ts'
import { CopyBlock } from '../controls/copy.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { daemonCommands } from './daemon-commands.ts'

/** A daemon key in plain text, the one time that it is shown, with the ways to use it. */
export function KeyReveal({ issued }: { issued: Pick<IssuedKey, 'apiKey' | 'relayUrl'> }) {
  const commands = daemonCommands(issued)
  const [chosen, setChosen] = useState(commands[0]?.id)
  const command = commands.find(({ id }) => id === chosen)

  // A reload or a closed tab would lose the key for good, so the browser asks first.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [])

  return (
    <Section title="Your new daemon key">
      <Notice tone="warning" title="Shown this once">
        <p>Copy the key now and keep it like a password. If it is lost, rotate it to get another one.</p>
      </Notice>
      <CopyBlock label="Daemon key" text={issued.apiKey} />
      <h3>Start the daemon</h3>
      <div className="choices" role="group" aria-label="How to start the daemon">
        {commands.map(({ id, name }) => (
          <button key={id} type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
            {name}
          </button>
        ))}
      </div>
      {command !== undefined && (
        <>
          <p className="fine">{command.intro}</p>
          {command.blocks.map(({ label, text }) => (
            <div key={label}>
              <p className="block-label">{label}</p>
              <CopyBlock label={label} text={text} />
            </div>
          ))}
        </>
      )}
    </Section>
  )
}
