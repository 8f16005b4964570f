# Asks once with curl, as ask.mjs does: sh ask.sh WAY. It knows no variable: scripts put one into the address.
id=curl.end
address=https://api.openai.com/v1
[ "$1" = variable ] && address=$OPENAI_BASE_URL
[ "$1" = line ] && address=$TAPEDECK_URL/openai/v1
curl -sS -m 10 -o /dev/null "$address/chat/completions" -H 'content-type: application/json' \
  -d "{\"model\":\"$id\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}"
echo "{\"client\":\"curl\",\"id\":\"$id\"}"
