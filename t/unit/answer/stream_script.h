
/*
 * Streams of responses as scripts: ' stands for ", and each # for the next
 * number, from 0.
 */


#ifndef _STREAM_SCRIPT_H_INCLUDED_
#define _STREAM_SCRIPT_H_INCLUDED_


#define EVENT(type, rest)                                                     \
    "event: " type "\ndata: {'type':'" type "','sequence_number':#" rest      \
    "}\n\n"

/* the least of a response that can be repaired */
#define RESP(status, output)                                                  \
    "{'id':'r','status':'" status "','output':[" output "]}"

#define STATE(name, status, output)                                           \
    EVENT("response." name, ",'response':" RESP(status, output))

#define CREATED    STATE("created", "in_progress", "")
#define QUEUED     STATE("queued", "queued", "")
#define RUNNING    STATE("in_progress", "in_progress", "")
#define START      CREATED RUNNING

#define COMPLETED(output)   STATE("completed", "completed", output)
#define INCOMPLETE(output)                                                    \
    EVENT("response.incomplete", ",'response':{'id':'r','status':"            \
          "'incomplete','incomplete_details':{'reason':'max_output_tokens'}," \
          "'output':[" output "]}")
#define FAILED(code)                                                          \
    EVENT("response.failed", ",'response':{'id':'r','status':'failed',"       \
          "'output':[],'error':{'code':'" code "','message':'it says'}}")
#define ERROR(code)                                                           \
    EVENT("error", ",'error':{'type':'server_error','code':'" code "',"       \
          "'message':'it says','param':null}")

#define DONE       "data: [DONE]\n\n"

/* items; "i" and "n" are digits in quotes */

#define ADDED(i, item)                                                        \
    EVENT("response.output_item.added",                                       \
          ",'output_index':" i ",'item':" item)
#define ENDED(i, item)                                                        \
    EVENT("response.output_item.done",                                        \
          ",'output_index':" i ",'item':" item)

#define MESSAGE(id, status, parts)                                            \
    "{'type':'message','id':'" id "','status':'" status "','role':"           \
    "'assistant','content':[" parts "]}"
#define CALL(id, status, arguments)                                           \
    "{'type':'function_call','id':'" id "','status':'" status "',"            \
    "'call_id':'c_" id "','name':'f','arguments':'" arguments "'}"
#define REASONING(id, summary, content)                                       \
    "{'type':'reasoning','id':'" id "','summary':[" summary "],"              \
    "'content':[" content "]}"

#define TEXT(text)                                                            \
    "{'type':'output_text','text':'" text "','annotations':[]}"
#define REFUSAL(text)   "{'type':'refusal','refusal':'" text "'}"
#define THOUGHT(text)   "{'type':'reasoning_text','text':'" text "'}"
#define SUMMARY(text)   "{'type':'summary_text','text':'" text "'}"

/* events of a part: "of" is PLACE() or SPLACE() */

#define PLACE(id, i, n)                                                       \
    ",'item_id':'" id "','output_index':" i ",'content_index':" n
#define SPLACE(id, i, n)                                                      \
    ",'item_id':'" id "','output_index':" i ",'summary_index':" n
#define OWN(id, i)   ",'item_id':'" id "','output_index':" i

#define PART_ADDED(of, part)                                                  \
    EVENT("response.content_part.added", of ",'part':" part)
#define PART_DONE(of, part)                                                   \
    EVENT("response.content_part.done", of ",'part':" part)
#define SPART_ADDED(of, part)                                                 \
    EVENT("response.reasoning_summary_part.added", of ",'part':" part)
#define SPART_DONE(of, part)                                                  \
    EVENT("response.reasoning_summary_part.done", of ",'part':" part)

#define DELTA(name, of, text)                                                 \
    EVENT("response." name ".delta", of ",'delta':'" text "'")
#define FULL(name, of, field, text)                                           \
    EVENT("response." name ".done", of ",'" field "':'" text "'")

#define TDELTA(of, text)  DELTA("output_text", of, text)
#define TDONE(of, text)   FULL("output_text", of, "text", text)
#define ADELTA(of, text)  DELTA("function_call_arguments", of, text)
#define ADONE(of, text)   FULL("function_call_arguments", of, "arguments", text)

/* a message "m" at index 0 with one text, and a call, both whole */

#define M0         PLACE("m", "0", "0")
#define HELLO                                                                 \
    ADDED("0", MESSAGE("m", "in_progress", ""))                               \
    PART_ADDED(M0, TEXT("")) TDELTA(M0, "Hel") TDELTA(M0, "lo")               \
    TDONE(M0, "Hello") PART_DONE(M0, TEXT("Hello"))
#define HELLO_ITEM    MESSAGE("m", "completed", TEXT("Hello"))
#define HELLO_DONE    ENDED("0", HELLO_ITEM)

#define CALLED(id, i)                                                         \
    ADDED(i, CALL(id, "in_progress", ""))                                     \
    ADELTA(OWN(id, i), "{") ADELTA(OWN(id, i), "}")                           \
    ADONE(OWN(id, i), "{}") ENDED(i, CALL(id, "completed", "{}"))

#define WHOLE_STREAM  START HELLO HELLO_DONE COMPLETED(HELLO_ITEM) DONE


#endif /* _STREAM_SCRIPT_H_INCLUDED_ */
