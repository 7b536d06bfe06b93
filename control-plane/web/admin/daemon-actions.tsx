import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { Notice } from '../controls/notice.tsx'
import { humanBytes } from '../controls/relative-time.ts'
import { Section } from '../controls/section.tsx'
import { adminApi } from './admin-api.ts'
import type { InventoryItem } from './admin-answers.ts'
import { OperationDialog } from './operation-dialog.tsx'

type Action = 'image' | 'storage' | 'rotate' | 'grant'
type Props = { item: InventoryItem; onDone: () => void }

/** What a system admin may do with one hosted daemon: each with a reason and a typed confirmation. */
export function DaemonActions({ item, onDone }: Props) {
  const { orgId, orgSlug, daemon, entitlement } = item
  const [action, setAction] = useState<Action>()
  const [image, setImage] = useState('')
  const [said, setSaid] = useState<string>()
  const close = () => setAction(undefined)
  const begin = (next: Action) => {
    setSaid(undefined)
    setImage(daemon?.image ?? '')
    setAction(next)
  }
  const tell = (words: string) => {
    setSaid(words)
    onDone()
  }
  const bySlug = { expected: orgSlug, expectedName: 'organization slug', onClose: close }

  return (
    <Section title="Actions" note="Every action is audited with your name and reason.">
      <div className="button-row">
        <Button disabled={daemon === null} onClick={() => begin('image')}>
          Roll image
        </Button>
        <Button disabled={daemon === null} onClick={() => begin('storage')}>
          Check storage
        </Button>
        <Button disabled={daemon === null} onClick={() => begin('rotate')}>
          Rotate relay key
        </Button>
        <Button disabled={entitlement !== null} onClick={() => begin('grant')}>
          Grant hosted access
        </Button>
      </div>
      {said !== undefined && (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      )}
      {action === 'image' && (
        <OperationDialog
          title={`Roll the image of ${item.orgName}`}
          confirm="Roll image"
          expected={orgId}
          expectedName="organization id"
          ready={image.trim() !== ''}
          onClose={close}
          run={async (operation, signal) => {
            await adminApi.rollImage(orgId, { ...operation, image: image.trim() }, signal)
            tell('The daemon runs with this image.')
          }}
        >
          <p>The daemon is replaced in place and its relay key rotated. A bad image goes back to the last good one.</p>
          <TextField
            label="Image"
            value={image}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setImage(event.target.value)}
          />
        </OperationDialog>
      )}
      {action === 'storage' && (
        <OperationDialog
          {...bySlug}
          title={`Check the storage of ${item.orgName}`}
          confirm="Check storage"
          run={async (operation, signal) => {
            const { storage, woke } = await adminApi.checkStorage(orgId, operation, signal)
            tell(
              `${humanBytes(storage.usedBytes)} used, ${humanBytes(storage.freeBytes)} free of ${humanBytes(storage.capacityBytes)}.${woke ? ' The check woke the daemon.' : ''}`,
            )
          }}
        >
          <p>Asks the daemon through the relay. A sleeping daemon is woken for it.</p>
        </OperationDialog>
      )}
      {action === 'rotate' && (
        <OperationDialog
          {...bySlug}
          title={`Rotate the relay key of ${item.orgName}`}
          confirm="Rotate relay key"
          run={async (operation, signal) => {
            await adminApi.rotateKey(orgId, operation, signal)
            tell('The relay key is rotated.')
          }}
        >
          <p>The daemon gets a new key and redials with it. It is not restarted.</p>
        </OperationDialog>
      )}
      {action === 'grant' && (
        <OperationDialog
          {...bySlug}
          title={`Grant hosted access to ${item.orgName}`}
          confirm="Grant access"
          run={async (operation, signal) => {
            await adminApi.grantComped(orgId, operation, signal)
            tell('Access is granted; the daemon is being made.')
          }}
        >
          <p>The organization gets a hosted daemon free of charge.</p>
        </OperationDialog>
      )}
    </Section>
  )
}
