import { replaceEqualDeep, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useLocation } from 'react-router'
import { Page } from '../app/page.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { AgentMark } from './agent-mark.tsx'
import { agentsApi, type AgentAccess, type ConsentAsked } from './agents-api.ts'
import { boxOf, chosenVaults, connectWords, isWholeTicked, keepListed } from './chosen-vaults.ts'

/** Asks whether a program may work in a person's vaults. */
export default function ConsentPage() {
  const query = useLocation().search.slice(1)
  const consent = useQuery({
    queryKey: ['consent', query],
    queryFn: ({ signal }) => agentsApi.readConsent(new URLSearchParams(query), signal),
    structuralSharing: (known, read) => {
      const [before, now] = [known as ConsentAsked | undefined, read as ConsentAsked]
      return replaceEqualDeep(known, { ...now, choices: keepListed(before?.choices, now.choices) })
    },
  })
  const name = consent.data?.client.name ?? 'A program'
  return (
    <Page
      title={`${name} asks to work in your vaults`}
      above={<AgentMark name={name} />}
      note={consent.data && <Sender client={consent.data.client} />}
    >
      <Loaded query={consent} what="the request">
        {(asked) => <Question asked={asked} query={query} />}
      </Loaded>
    </Page>
  )
}

function Sender({ client: { kind, sendsTo, documentHost } }: { client: ConsentAsked['client'] }) {
  const where = { web: '', loopback: ', a program on this computer', app: ', an app on this computer' }[kind]
  return (
    <>
      It sends you back to <code>{sendsTo}</code>
      {where}.{' '}
      {documentHost === null ? (
        'Its name is its own claim; svc does not check it.'
      ) : (
        <>
          It is described by <code>{documentHost}</code>.
        </>
      )}
    </>
  )
}

function Question({ asked: { choices }, query }: { asked: ConsentAsked; query: string }) {
  const scopes = new URLSearchParams(query).get('scope')?.split(' ') ?? []
  const [access, setAccess] = useState<AgentAccess>(scopes.includes('write') ? 'write' : 'read')
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const { pending, failure, submit } = useSubmit()
  const vaults = chosenVaults(choices, ticked)
  const tick = (box: string) => setTicked((before) => before.symmetricDifference(new Set([box])))

  // Do not post a form: the CSP for forms also applies to the addresses that a post is redirected to.
  const decide = (request: Parameters<typeof agentsApi.decideConsent>[0]) =>
    void submit(async () => location.assign(await agentsApi.decideConsent(request)))
  const connect = (event: FormEvent) => {
    event.preventDefault()
    if (vaults.length > 0) decide({ decision: 'connect', query, access, vaults })
  }

  return (
    <form className="consent" onSubmit={connect}>
      <Section title="Where">
        {choices.length === 0 && <p>You belong to no organization with vaults yet.</p>}
        {choices.map((choice) => (
          <VaultBoxes key={choice.orgId} choice={choice} ticked={ticked} tick={tick} />
        ))}
      </Section>
      <Section title="What">
        <label className="consent-choice">
          <input type="radio" name="access" checked={access === 'read'} onChange={() => setAccess('read')} />
          <span>
            <b>Read</b> <small>notes, links, search and history</small>
          </span>
        </label>
        {scopes.includes('write') && (
          <label className="consent-choice">
            <input type="radio" name="access" checked={access === 'write'} onChange={() => setAccess('write')} />
            <span>
              <b>Read and write</b> <small>also create, change, move and delete notes</small>
            </span>
          </label>
        )}
        {access === 'write' && (
          <p className="consent-pencil">
            <span>It writes in pencil, like this.</span> What it changes carries its name and yours.
          </p>
        )}
      </Section>
      <Section title="Never">
        <p>invite people, empty the deleted notes, change settings, or see a vault that you did not tick</p>
      </Section>
      <Section title="Until">
        <p>you disconnect it in your profile, or after 90 days without use</p>
        <p className="fine">
          An admin of each organization approves the program too; it tells you where that is missing.
        </p>
      </Section>
      <FailureNotice failure={failure} />
      <div className="consent-actions">
        <Button type="submit" look="primary" pending={pending} disabled={vaults.length === 0}>
          {connectWords(vaults)}
        </Button>
        <Button pending={pending} onClick={() => decide({ decision: 'refuse', query })}>
          Refuse
        </Button>
        <small>If you did not just start this, refuse.</small>
      </div>
    </form>
  )
}

type Boxes = { choice: ConsentAsked['choices'][number]; ticked: ReadonlySet<string>; tick: (box: string) => void }

/** The check boxes of one organization: for all of it where that is offered, and for each vault that is listed. */
function VaultBoxes({ choice, ticked, tick }: Boxes) {
  const { orgId, orgName, listed, whole, vaults } = choice
  const isWhole = isWholeTicked(choice, ticked)
  return (
    <>
      {whole && (
        <label className="consent-choice">
          <input type="checkbox" checked={isWhole} onChange={() => tick(boxOf(orgId, null))} />
          <span>
            <span className="consent-vault">All of {orgName}</span>{' '}
            <small>
              {listed
                ? 'also vaults that are added later; they are too many to tick every one'
                : 'its host is away or asleep, so its vaults cannot be listed one by one'}
            </small>
          </span>
        </label>
      )}
      {listed &&
        vaults.map(({ id, displayName }) => (
          <label key={id} className="consent-choice">
            <input
              type="checkbox"
              checked={isWhole || ticked.has(boxOf(orgId, id))}
              disabled={isWhole}
              onChange={() => tick(boxOf(orgId, id))}
            />
            <span>
              <span className="consent-vault">{displayName}</span> <small>{orgName}</small>
            </span>
          </label>
        ))}
    </>
  )
}
