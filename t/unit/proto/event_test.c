
/*
 * Copyright (C) Open Responses contributors
 */


/* Events of the output of a tool that ran here, in both flavors. */


#include "event_frames.h"


static void test_call_output(ngx_uint_t profile);


int
main(void)
{
    test_call_output(NGX_ORS_TOLERANT_SPEC);
    test_call_output(NGX_ORS_TOLERANT_OPENAI);

    return done_testing();
}


static void
test_call_output(ngx_uint_t profile)
{
    ngx_ors_item_t  *it;

    frames_setup(profile, "");

    it = frames_item(ngx_ors_item_call_output, "fco_1");
    ngx_str_set(&it->call_id, "call_1");
    frames_fill(&it->output, "{\\\"t\\\":20}");

    ngx_ors_event_item_added(&frames_out, &frames_resp, it);
    it->status = ngx_ors_item_completed;
    ngx_ors_event_item_done(&frames_out, &frames_resp, it);
    frames_take();

    frames_frame("response.output_item.added ,'output_index':3,'item':"
          "{'type':'function_call_output','id':'fco_1',"
          "'status':'in_progress','call_id':'call_1','output':''}",
          "an output is added");
    frames_frame("response.output_item.done ,'output_index':3,'item':"
          "{'type':'function_call_output','id':'fco_1',"
          "'status':'completed','call_id':'call_1',"
          "'output':'{\\'t\\':20}'}", "and done");
    frames_frame(NULL, "no more");

    frames_done();
}
