import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { canUsePasskeys, passkeys } from './passkeys.ts'

type Props = { label: string; onDone: () => Promise<unknown> | void }

/** Signs in with a passkey; absent in browsers without them. */
export function PasskeyButton({ label, onDone }: Props) {
  const { pending, failure, submit } = useSubmit()
  if (!canUsePasskeys()) return null
  return (
    <>
      <FailureNotice failure={failure} />
      <Button pending={pending} onClick={() => void submit(() => passkeys.signIn().then(onDone))}>
        {label}
      </Button>
    </>
  )
}
