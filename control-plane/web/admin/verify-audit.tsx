import { useState } from 'react'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { adminApi } from './admin-api.ts'
import type { AuditVerification } from './admin-answers.ts'

/** Recomputes the links and signatures of a chain and says whether they hold. */
export function VerifyAudit({ chain }: { chain: string }) {
  const { pending, failure, submit } = useSubmit()
  const [found, setFound] = useState<AuditVerification>()

  return (
    <>
      <div className="button-row">
        <Button
          size="small"
          pending={pending}
          onClick={() => void submit(async () => setFound(await adminApi.verifyAudit(chain)))}
        >
          Verify this chain
        </Button>
      </div>
      <FailureNotice failure={failure} />
      {found !== undefined &&
        (found.valid ? (
          <Notice tone="good">
            <p>
              {found.entries === 0
                ? 'There is nothing to verify yet.'
                : `The chain holds: ${found.entries} entries, ${found.checkpoints} checkpoints.`}
            </p>
          </Notice>
        ) : (
          <Notice tone="danger" title="The chain is broken">
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
