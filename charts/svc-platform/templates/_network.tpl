{{- /* The pods of this release, as a NetworkPolicy peer. */ -}}
{{- define "svc.platformPeer" -}}
{{- dict "podSelector" (dict "matchLabels" (dict "app.kubernetes.io/instance" .Release.Name "app.kubernetes.io/part-of" "svc-platform")) | toJson }}
{{- end -}}

{{- /* Out to everywhere but what nobody of the platform needs: Postgres, Redis, mail and sign-in providers may be anywhere. */ -}}
{{- define "svc.egress" }}
{{- $policy := .Values.networkPolicy }}
egress:
  - to:
      {{- range $cidr, $isDenied := dict "0.0.0.0/0" "^[0-9.]+/" "::/0" ":" }}
      - ipBlock:
          cidr: {{ $cidr }}
          {{- $denied := list }}
          {{- range $policy.deniedCidrs }}
          {{- if regexMatch $isDenied . }}{{ $denied = append $denied . }}{{ end }}
          {{- end }}
          {{- if eq $cidr "::/0" }}
          {{- /* A list that somebody made for IPv4 alone must not open these. */}}
          {{- $denied = prepend (default (list "fd00:ec2::254/128" "fd20:ce::254/128") $denied) "fe80::/10" | uniq }}
          {{- end }}
          {{- with $denied }}
          except:
            {{- toYaml . | nindent 12 }}
          {{- end }}
      {{- end }}
      # Some networks, such as Cilium, match pods by no address.
      - {{ include "svc.platformPeer" . }}
      {{- if .Values.operator.enabled }}
      # The operator asks daemons for their state.
      - namespaceSelector:
          matchLabels:
            kubernetes.io/metadata.name: {{ .Values.daemons.namespace }}
      {{- end }}
      {{- with $policy.egressTo }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  # Names are resolved by pods, by the node, or at a link-local address.
  - ports:
      - { protocol: UDP, port: 53 }
      - { protocol: TCP, port: 53 }
  {{- if .Values.operator.enabled }}
  {{- with $policy.apiServerPorts }}
  # Such networks match the API server by no address either.
  - ports:
      {{- range . }}
      - { protocol: TCP, port: {{ . }} }
      {{- end }}
  {{- end }}
  {{- end }}
{{- end }}
