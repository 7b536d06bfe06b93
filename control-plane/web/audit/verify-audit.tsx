import { useState } from 'react'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import type { AuditVerification } from '../answers.ts'

/** Recomputes the links and signatures of a chain and says whether they hold. */
export function VerifyAudit({ verify }: { verify: () => Promise<AuditVerification> }) {
  const { pending, failure, submit } = useSubmit()
  const [found, setFound] = useState<AuditVerification>()

  return (
    <>
      <div className="button-row">
        <Button size="small" pending={pending} onClick={() => void submit(async () => setFound(await verify()))}>
          Verify that nothing was changed
        </Button>
      </div>
      <FailureNotice failure={failure} />
      {found !== undefined &&
        (found.valid ? (
          <Notice tone="good">
            <p>
              {found.entries === 0
                ? 'There is nothing to verify yet.'
                : `Nothing was changed: ${found.entries} entries and ${found.checkpoints} signed checkpoints hold.`}
            </p>
          </Notice>
        ) : (
          <Notice tone="danger" title="The audit was changed">
            <ul>
              {found.broken.map(({ chain, seq, problem }) => (
                <li key={`${chain} ${seq}`}>
                  {chain}, entry {seq}: {problem.replaceAll('_', ' ')}
                </li>
              ))}
            </ul>
          </Notice>
        ))}
    </>
  )
}
