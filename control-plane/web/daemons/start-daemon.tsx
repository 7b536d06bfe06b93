import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Downloads } from '../answers.ts'
import { api } from '../api.ts'
import { CopyBlock } from '../controls/copy.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { daemonCommands } from './daemon-commands.ts'

/** The ways to start a daemon, one at a time. */
export function StartDaemon({ relayUrl }: { relayUrl: string }) {
  const downloads = useQuery({ queryKey: ['downloads'], queryFn: () => api.readDownloads() })
  return (
    <>
      <h3>Start the host</h3>
      <Loaded query={downloads} what="the commands">
        {(found) => <Commands relayUrl={relayUrl} downloads={found} />}
      </Loaded>
    </>
  )
}

function Commands({ relayUrl, downloads }: { relayUrl: string; downloads: Downloads }) {
  const commands = daemonCommands({ relayUrl, downloads })
  const [chosen, setChosen] = useState(commands[0]?.id)
  const command = commands.find(({ id }) => id === chosen)
  return (
    <>
      <div className="choices" role="group" aria-label="How to start the host">
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
    </>
  )
}
