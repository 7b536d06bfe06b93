import { useState } from 'react'
import { Button } from '../../controls/button.tsx'
import { Notice } from '../../controls/notice.tsx'
import { Section } from '../../controls/section.tsx'
import type { InventoryItem } from '../admin-answers.ts'
import { confirmedActions, type ConfirmedAction } from '../confirmed-actions.ts'
import { GrowDialog } from './grow-dialog.tsx'
import { OperationDialog } from '../operation-dialog.tsx'
import { RollDialog } from './roll-dialog.tsx'

type Props = { item: InventoryItem; onDone: () => void }

/** What a system admin may do with one hosted daemon: each with a reason, and a typed confirmation where it changes anything. */
export function DaemonActions({ item, onDone }: Props) {
  const { orgId, orgSlug, orgName, daemon } = item
  const [action, setAction] = useState<ConfirmedAction | 'roll' | 'grow'>()
  const [said, setSaid] = useState<string>()
  const close = () => setAction(undefined)
  const begin = (next: typeof action) => {
    setSaid(undefined)
    setAction(next)
  }
  const tell = (words: string) => {
    setSaid(words)
    onDone()
  }

  return (
    <Section title="Actions" note="Every action is audited with your name and reason.">
      <div className="button-row">
        <Button disabled={daemon === null} onClick={() => begin('roll')}>
          Roll image
        </Button>
        <Button disabled={daemon === null} onClick={() => begin('grow')}>
          Grow storage
        </Button>
        {confirmedActions.map((each) => (
          <Button key={each.name} disabled={!each.mayBegin(item)} onClick={() => begin(each)}>
            {each.name}
          </Button>
        ))}
      </div>
      {said !== undefined && (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      )}
      {action === 'roll' && <RollDialog item={item} tell={tell} onClose={close} />}
      {action === 'grow' && <GrowDialog item={item} tell={tell} onClose={close} />}
      {typeof action === 'object' && (
        <OperationDialog
          title={action.title(orgName)}
          confirm={action.name}
          expected={orgSlug}
          {...(action.harmless === true ? {} : { typed: { text: orgSlug, name: 'organization slug' } })}
          onClose={close}
          run={async (operation, signal) => tell(await action.run(orgId, operation, signal))}
        >
          <p>{action.explanation}</p>
        </OperationDialog>
      )}
    </Section>
  )
}
