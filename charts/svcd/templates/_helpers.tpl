{{- define "svcd.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "svcd.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "svcd.labels" -}}
{{ include "svcd.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- range $key, $value := .Values.commonLabels }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- /* Variables as a map, so that no name is there twice. */ -}}
{{- define "svcd.variables" -}}
{{- $variables := dict
  "SVC_HOME" "/data"
  "SVC_LOG_LEVEL" .Values.logLevel
  "SVC_PROBE_PORT" "7383"
  "SVC_PROBE_HOST" .Values.listenAddress
-}}
{{- if .Values.relay.url -}}
{{- $_ := set $variables "SVC_RELAY_URL" .Values.relay.url -}}
{{- $_ := set $variables "SVC_RELAY_TOKEN_FILE" "/var/run/svc/relay/token" -}}
{{- if .Values.relay.allowInsecure -}}
{{- $_ := set $variables "SVC_ALLOW_INSECURE_RELAY" "1" -}}
{{- end -}}
{{- end -}}
{{- if .Values.local.enabled -}}
{{- $variables = merge $variables (dict
  "SVC_HOST" .Values.listenAddress
  "SVC_PORT" "7382"
  "SVC_ALLOW_NON_LOOPBACK" "1"
  "SVC_ALLOWED_HOSTS" (join "," .Values.local.allowedHosts)
) -}}
{{- else -}}
{{- $_ := set $variables "SVC_LISTEN" "tunnel-only" -}}
{{- end -}}
{{- toYaml $variables -}}
{{- end -}}

{{- /* A size as a number of mebibytes, because Kubernetes writes 1024Gi as 1Ti. */ -}}
{{- define "svcd.mebibytes" -}}
{{- mul (regexFind "^[0-9]+" . | int64) (dig (regexFind "[A-Z]i$" .) 0 (dict "Mi" 1 "Gi" 1024 "Ti" 1048576 "Pi" 1073741824)) -}}
{{- end -}}

{{- /*
Why a StatefulSet that is there cannot get this volume: Kubernetes refuses every change of its claim, without a hint.
Takes root, live, the path of the values, the name of their size (sizeKey), and the wanted size and class.
*/ -}}
{{- define "svcd.volumeProblem" -}}
{{- $name := .live.metadata.name -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $made := (first .live.spec.volumeClaimTemplates).spec -}}
{{- $size := $made.resources.requests.storage -}}
{{- $wanted := include "svcd.mebibytes" .size | int64 -}}
{{- $has := include "svcd.mebibytes" $size | int64 -}}
{{- if ne (default "" .class) (default "" $made.storageClassName) -}}
{{ .path }}.storageClassName: a volume keeps its class, here {{ default "the cluster's" $made.storageClassName }}: set that
{{- else if lt $wanted $has -}}
{{ .path }}.{{ .sizeKey }}: a volume cannot shrink, and was made with {{ $size }}: set that
{{- else if gt $wanted $has -}}
{{ .path }}.{{ .sizeKey }}: the volume was made with {{ $size }}. To grow it: kubectl -n {{ $namespace }} patch pvc data-{{ $name }}-0 --patch '{{ dict "spec" (dict "resources" (dict "requests" (dict "storage" .size))) | toJson }}', then kubectl -n {{ $namespace }} delete statefulset {{ $name }} --cascade=orphan, then upgrade
{{- end -}}
{{- end -}}
