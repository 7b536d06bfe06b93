import { Notice } from '../controls/notice.tsx'
import { useIsOnline } from './online.ts'

/** Says that the browser has no network, so that nobody takes old data for current data. */
export function OfflineNote() {
  if (useIsOnline()) return null
  return (
    <div className="banner">
      <Notice tone="warning" title="You are offline">
        <p>What you see may be out of date. It is read again as soon as you are back.</p>
      </Notice>
    </div>
  )
}
