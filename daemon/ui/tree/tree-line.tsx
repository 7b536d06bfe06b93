import { Icon } from '../app/icon.tsx'
import { mediaKind } from '../markdown/media-embed.ts'
import type { NewsMark } from '../news/news-context.ts'
import { shownName, type TreeRow } from './tree-rows.ts'

type Props = {
  id: string
  row: TreeRow
  news: NewsMark | undefined
  top: number
  isCurrent: boolean
  isFocused: boolean
  isOver: boolean
  onClick: () => void
}

/** One line of the tree. */
export function TreeLine({ id, row, news, top, isCurrent, isFocused, isOver, onClick }: Props) {
  const { node, level, position, setSize, expanded } = row
  const name = shownName(node)
  return (
    <div
      id={id}
      role="treeitem"
      aria-label={name}
      aria-describedby={news && `${id}-news`}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={setSize}
      aria-expanded={expanded}
      aria-selected={isCurrent}
      aria-current={isCurrent ? 'page' : undefined}
      className={isFocused ? 'tree-line focused' : 'tree-line'}
      data-kind={node.kind}
      data-path={node.path}
      data-over={isOver || undefined}
      draggable
      style={{ transform: `translateY(${top}px)`, paddingInlineStart: `${0.4 + (level - 1) * 0.95}rem` }}
      title={node.name}
      onClick={onClick}
    >
      <span className="tree-twist" data-open={expanded}>
        {expanded !== undefined && <Icon name="chevron" />}
        {node.kind === 'attachment' && <Icon name={mediaKind(node.name) === 'image' ? 'image' : 'file'} />}
      </span>
      <span className="tree-name">{name}</span>
      {news && (
        <span className="tree-news" data-by={news.by} title={news.words}>
          <span id={`${id}-news`} className="sr-only">
            {news.words}
          </span>
        </span>
      )}
    </div>
  )
}
