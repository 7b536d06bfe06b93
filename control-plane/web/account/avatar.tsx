import { useState } from 'react'
import { initials } from './initials.ts'

type Props = { name: string; email: string; image?: string | null }

/** A person as a small round picture, or as initials. The picture comes without telling its server about this page. */
export function Avatar({ name, email, image }: Props) {
  const [broken, setBroken] = useState<string>()
  return (
    <span className="avatar" aria-hidden="true">
      {initials(name) || initials(email)}
      {image && image !== broken && (
        <img src={image} alt="" referrerPolicy="no-referrer" onError={() => setBroken(image)} />
      )}
    </span>
  )
}
