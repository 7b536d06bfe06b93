import { useState } from 'react'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { Page } from '../app/page.tsx'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { SelectField, TextField } from '../controls/field.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Empty, Status } from '../controls/status.tsx'
import { Table } from '../controls/table.tsx'
import { Time } from '../controls/time.tsx'
import { LiveAge } from '../live/live-age.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import type { AgentRule } from './admin-answers.ts'
import { adminApi } from './admin-api.ts'

/**
 * The programs that the platform blocks, or the only programs that it allows, regardless of what organizations
 * approved.
 */
export function AgentRulesPage() {
  const rules = useLiveQuery({
    queryKey: ['admin', 'agent-rules'],
    queryFn: ({ signal }) => adminApi.listAgentRules(signal),
    every: () => 2000,
  })
  const [adding, setAdding] = useState(false)
  const [resetting, setResetting] = useState<AgentRule>()
  const set = async (key: string, verdict: AgentRule['verdict'] | 'none') => {
    await adminApi.setAgentRule(key, verdict)
    await rules.refetch()
  }

  return (
    <Page
      title="Agents"
      margin={<LiveAge queries={[rules]} />}
      note="Organizations approve programs for themselves. A rule here stands above that, and takes effect with the next call."
    >
      <Loaded query={rules} what="rules">
        {({ rules: all }) => (
          <div className="stack">
            {all.length === 0 ? (
              <Empty title="There are no rules">
                <p>Every program works where an organization approved it.</p>
              </Empty>
            ) : (
              <div className="card">
                <Table kind="text" columns={['Program', 'Rule', 'Decided', { hidden: 'Take back' }]}>
                  {all.map((rule) => (
                    <tr key={rule.key}>
                      <th scope="row">
                        <code>{rule.key}</code>
                        {rule.key === 'local' && <small className="under">programs on computers of people</small>}
                      </th>
                      <td>
                        <Status tone={rule.verdict === 'blocked' ? 'bad' : 'good'}>
                          {rule.verdict === 'blocked' ? 'Blocked' : 'Allowed'}
                        </Status>
                      </td>
                      <td>
                        <Time at={rule.decidedAt} />
                      </td>
                      <td>
                        <Button
                          size="small"
                          aria-label={`Take back the rule for ${rule.key}`}
                          onClick={() => setResetting(rule)}
                        >
                          Take back
                        </Button>
                      </td>
                    </tr>
                  ))}
                </Table>
              </div>
            )}
            <div>
              <Button look="primary" onClick={() => setAdding(true)}>
                Add a rule
              </Button>
            </div>
          </div>
        )}
      </Loaded>
      {adding && <AddRuleDialog onConfirm={set} onClose={() => setAdding(false)} />}
      {resetting && (
        <ConfirmDialog
          title="Take back this rule?"
          confirm="Take back"
          explainFailure={explainFresh}
          onConfirm={() => set(resetting.key, 'none')}
          onClose={() => setResetting(undefined)}
        >
          <p>
            The approval of each organization then decides about <code>{resetting.key}</code> alone.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

type AddProps = { onConfirm: (key: string, verdict: AgentRule['verdict']) => Promise<void>; onClose: () => void }

function AddRuleDialog({ onConfirm, onClose }: AddProps) {
  const [key, setKey] = useState('')
  const [verdict, setVerdict] = useState<AgentRule['verdict']>('blocked')
  return (
    <ConfirmDialog
      title="Add a rule"
      confirm={verdict === 'blocked' ? 'Block' : 'Allow'}
      look={verdict === 'blocked' ? 'danger' : 'primary'}
      ready={key.trim() !== ''}
      explainFailure={explainFresh}
      onConfirm={() => onConfirm(key.trim(), verdict)}
      onClose={onClose}
    >
      <TextField
        label="Program"
        value={key}
        maxLength={500}
        spellCheck={false}
        autoComplete="off"
        hint="An https address or origin, as organizations see it under Agents, or local: every program on a computer."
        onChange={(event) => setKey(event.target.value)}
      />
      <SelectField
        label="Rule"
        value={verdict}
        hint={
          verdict === 'blocked' ? 'It works nowhere.' : 'As soon as one program is allowed, only allowed ones work.'
        }
        onChange={(event) => setVerdict(event.target.value as AgentRule['verdict'])}
      >
        <option value="blocked">Block</option>
        <option value="allowed">Allow</option>
      </SelectField>
    </ConfirmDialog>
  )
}
