import {
  BookOpen,
  Check,
  ChevronRight,
  ChevronsUpDown,
  Clock,
  CodeXml,
  File,
  Folder,
  Hash,
  History,
  Image,
  Keyboard,
  LogOut,
  Menu,
  Moon,
  PanelRight,
  Pencil,
  Plus,
  Search,
  Sun,
  SunMoon,
  Trash2,
  TriangleAlert,
  Waypoints,
  X,
} from 'lucide-react'

const icons = {
  book: BookOpen,
  check: Check,
  chevron: ChevronRight,
  clock: Clock,
  close: X,
  code: CodeXml,
  dark: Moon,
  file: File,
  folder: Folder,
  graph: Waypoints,
  history: History,
  image: Image,
  keyboard: Keyboard,
  leave: LogOut,
  light: Sun,
  menu: Menu,
  panel: PanelRight,
  pencil: Pencil,
  plus: Plus,
  search: Search,
  switch: ChevronsUpDown,
  system: SunMoon,
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
