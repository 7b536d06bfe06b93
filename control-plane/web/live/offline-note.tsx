import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Notice } from '../controls/notice.tsx'

const subscribe = (changed: () => void) => onlineManager.subscribe(changed)
const isOnline = () => onlineManager.isOnline()

/** Says that the browser has no network, so that nobody takes what is shown for news. */
export function OfflineNote() {
  if (useSyncExternalStore(subscribe, isOnline)) return null
  return (
    <div className="banner">
      <Notice tone="warning" title="You are offline">
        <p>What you see may be out of date. It is read again as soon as you are back.</p>
      </Notice>
    </div>
  )
}
