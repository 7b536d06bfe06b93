import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const subscribe = (changed: () => void) => onlineManager.subscribe(changed)
const isOnline = () => onlineManager.isOnline()

/** True while the browser has a network. */
export const useIsOnline = () => useSyncExternalStore(subscribe, isOnline)
