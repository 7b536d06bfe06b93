const shapes = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  panel: 'M4 5h16v14H4zM15 5v14',
  folder:
    'M3.5 7.5v10a1.5 1.5 0 0 0 1.5 1.5h14a1.5 1.5 0 0 0 1.5-1.5v-8A1.5 1.5 0 0 0 19 8h-7l-2-2.5H5A1.5 1.5 0 0 0 3.5 7Z',
  file: 'M6 3.5h8L18.5 8v12.5H6zM14 3.5V8h4.5',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4L15 13l5 4.5M15.5 9.2h.01',
  chevron: 'm9.5 6 6 6-6 6',
  down: 'm6 9.5 6 6 6-6',
  plus: 'M12 5v14M5 12h14',
  pencil: 'm4.5 19.5.8-4L16 4.8a1.6 1.6 0 0 1 2.2 0l1 1a1.6 1.6 0 0 1 0 2.2L8.5 18.7ZM14 7l3 3',
  book: 'M12 6.5C10 5 7.5 4.5 4 4.5v13.500c3.500 0 6 .5 8 2 2-1.500 4.500-2 8-2V4.500c-3.500 0-6 .5-8 2Zm0 0V20',
  trash: 'M5 7h14M10 4h4M7 7l.8 12.500h8.400L17 7M10.500 10.500v5.500M13.500 10.500v5.500',
  close: 'M6 6l12 12M18 6 6 18',
  keyboard: 'M3.500 6.500h17v11h-17zM7 10h.01M10.500 10h.01M14 10h.01M17.500 10h.01M8 14h8',
  vault: 'M12 3 4.500 7.300v9.400L12 21l7.500-4.300V7.300ZM4.500 7.300 12 11.600l7.500-4.300M12 11.600V21',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  warning: 'M12 4 2.800 19.500h18.400ZM12 10v4.500M12 17.200h.01',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 4v4.500l3 2',
} as const

export type IconName = keyof typeof shapes

/** A line drawing in the colour of the text around it; says nothing to screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={shapes[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
