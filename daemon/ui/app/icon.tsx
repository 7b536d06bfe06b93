import {
  BookOpen,
  Check,
  ChevronRight,
  ChevronsUpDown,
  CodeXml,
  Ellipsis,
  File,
  Folder,
  Hash,
  History,
  Image,
  Keyboard,
  Menu,
  PanelRight,
  Pencil,
  Plus,
  Search,
  Trash2,
  TriangleAlert,
  Waypoints,
  X,
} from 'lucide-react'

const icons = {
  book: BookOpen,
  check: Check,
  chevron: ChevronRight,
  close: X,
  code: CodeXml,
  file: File,
  folder: Folder,
  graph: Waypoints,
  history: History,
  image: Image,
  keyboard: Keyboard,
  menu: Menu,
  more: Ellipsis,
  panel: PanelRight,
  pencil: Pencil,
  plus: Plus,
  search: Search,
  switch: ChevronsUpDown,
  tag: Hash,
  trash: Trash2,
  warning: TriangleAlert,
} as const

export type IconName = keyof typeof icons

/** A line drawing in the colour of the text around it; hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  const Drawing = icons[name]
  return <Drawing className="icon" aria-hidden="true" focusable="false" />
}
