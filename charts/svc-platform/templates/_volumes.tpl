{{- /* A size as a number of mebibytes, because Kubernetes writes 1024Gi as 1Ti. */ -}}
{{- define "svc.mebibytes" -}}
{{- mul (regexFind "^[0-9]+" . | int64) (dig (regexFind "[A-Z]i$" .) 0 (dict "Mi" 1 "Gi" 1024 "Ti" 1048576 "Pi" 1073741824)) -}}
{{- end -}}

{{- /*
Why a StatefulSet that is there cannot get this volume: Kubernetes refuses every change of its claim, without a hint.
Takes root, live, the path of the values, the name of their size (sizeKey), and the wanted size and class.
*/ -}}
{{- define "svc.volumeProblem" -}}
{{- $name := .live.metadata.name -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $made := (first .live.spec.volumeClaimTemplates).spec -}}
{{- $size := $made.resources.requests.storage -}}
{{- $wanted := include "svc.mebibytes" .size | int64 -}}
{{- $has := include "svc.mebibytes" $size | int64 -}}
{{- if ne (default "" .class) (default "" $made.storageClassName) -}}
{{ .path }}.storageClassName: a volume keeps its class, here {{ default "the cluster's" $made.storageClassName }}: set that
{{- else if lt $wanted $has -}}
{{ .path }}.{{ .sizeKey }}: a volume cannot shrink, and was made with {{ $size }}: set that
{{- else if gt $wanted $has -}}
{{ .path }}.{{ .sizeKey }}: the volume was made with {{ $size }}. To grow it: kubectl -n {{ $namespace }} patch pvc data-{{ $name }}-0 --patch '{{ dict "spec" (dict "resources" (dict "requests" (dict "storage" .size))) | toJson }}', then kubectl -n {{ $namespace }} delete statefulset {{ $name }} --cascade=orphan, then upgrade
{{- end -}}
{{- end -}}
