import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../controls/button.tsx'
import { Notice } from '../../controls/notice.tsx'
import { Section } from '../../controls/section.tsx'
import type { InventoryItem } from '../admin-answers.ts'
import { confirmedActions, rotateRelayKey, type ConfirmedAction } from '../confirmed-actions.ts'
import { GrowDialog } from './grow-dialog.tsx'
import { OperationDialog } from '../operation-dialog.tsx'
import { RollDialog } from './roll-dialog.tsx'

type Props = { item: InventoryItem; onDone: () => void }
type Action = ConfirmedAction | 'roll' | 'grow'

/**
 * The actions of a system admin on one hosted daemon. Each needs a reason, and a typed confirmation if it changes
 * anything.
 */
export function DaemonActions({ item, onDone }: Props) {
  const { orgId, orgSlug, orgName, daemon } = item
  const [search, setSearch] = useSearchParams()
  const [action, setAction] = useState(() => (daemon === null ? undefined : actionOf(search.get('act'))))
  const [said, setSaid] = useState<string>()
  const close = () => {
    setAction(undefined)
    // A reload of the page must not open the dialog again.
    if (search.has('act')) setSearch({}, { replace: true })
  }
  const begin = (next: Action) => {
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
          Update
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

/** The action named in the address. It only opens a dialog: an address alone changes nothing. */
function actionOf(act: string | null): Action | undefined {
  if (act === 'rotate') return rotateRelayKey
  return act === 'roll' || act === 'grow' ? act : undefined
}
