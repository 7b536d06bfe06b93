import { createContext, useContext } from 'react'
import type { PaneId } from './workspace.ts'

/** The pane that contains a component. The outline and properties of the focused pane are shown in `panel`. */
export type PaneHere = { id: PaneId; isFocused: boolean; panel: HTMLElement | null }

export const PaneContext = createContext<PaneHere | undefined>(undefined)

export function usePane(): PaneHere {
  const pane = useContext(PaneContext)
  if (pane === undefined) throw new Error('no pane around this component')
  return pane
}
